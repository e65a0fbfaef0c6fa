import { Tabs } from '@mantine/core';
import { CodeBlock } from '../../components/code-block.tsx';
import { Section } from '../../components/section.tsx';
import { words } from '../../words/en.ts';
import { snippets, type Upload } from './snippets.ts';

/** A program in each language that uploads one entry. */
export function Programs({ upload }: { upload: Upload }) {
  const programs = snippets(upload);
  return (
    <Section title={words.send.programs} text={words.send.programsText}>
      <Tabs defaultValue={programs[0]?.label ?? null}>
        <Tabs.List>
          {programs.map(({ label }) => (
            <Tabs.Tab key={label} value={label}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {programs.map(({ label, code }) => (
          <Tabs.Panel key={label} value={label} pt="xs">
            <CodeBlock code={code} label={label} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}
