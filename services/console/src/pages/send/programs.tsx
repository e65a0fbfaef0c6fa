import { Code, CopyButton, Group, Tabs } from '@mantine/core';
import { SmallButton } from '../../components/buttons.tsx';
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
            <Group justify="end" mb="xs">
              <CopyButton value={code}>
                {({ copied, copy }) => (
                  <SmallButton onClick={copy}>
                    {copied ? words.common.copied : words.send.copy(label)}
                  </SmallButton>
                )}
              </CopyButton>
            </Group>
            {/* The keyboard can scroll it. */}
            <Code block tabIndex={0}>
              {code}
            </Code>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}
