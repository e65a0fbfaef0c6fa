import { Stack, Tabs, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { words } from '../../words/en.ts';
import { readLines } from './read-lines.ts';

interface Props {
  archive: Schemas['Archive'];
  domain: string;
}

/** How programs read the files of an archive. */
export function ReadIt({ archive, domain }: Props) {
  const programs = readLines(archive, domain);
  return (
    <Stack gap="xs" mt="xs">
      <Text>
        {archive.to.kind === 'folder' ? words.archives.readFolder(domain) : words.archives.readBucket}
      </Text>
      <Tabs defaultValue={programs[0]?.program ?? null}>
        <Tabs.List>
          {programs.map(({ program }) => (
            <Tabs.Tab key={program} value={program}>
              {program}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {programs.map(({ program, note, lines }) => (
          <Tabs.Panel key={program} value={program} pt="xs">
            <Stack gap="xs">
              {note && <Text>{words.archives.notes[note]}</Text>}
              {lines.map(({ step, code }) => (
                <div key={step}>
                  <Text mb={4}>{words.archives.steps[step]}</Text>
                  <CodeBlock code={code} label={`${program}, ${step}`} />
                </div>
              ))}
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
