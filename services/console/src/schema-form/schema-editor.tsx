import { json } from '@codemirror/lang-json';
import { SimpleGrid, Stack } from '@mantine/core';
import { memo, type ReactNode, useState } from 'react';
import { type EditorProblem, TextEditor } from '../editor/text-editor.tsx';
import { placeOfPath, type Range } from '../json/place.ts';
import { words } from '../words/en.ts';
import { completeKeyword } from './keywords.ts';
import { SchemaForm } from './schema-form.tsx';

const jsonLanguage = json();

interface Props {
  text: string;
  onText: (text: string) => void;
  problems?: EditorProblem[];
  /** Below the JSON. */
  children?: ReactNode;
}

/** A form of a schema beside its JSON: each shows what is edited in the other. */
export const SchemaEditor = memo(function SchemaEditor({ text, onText, problems, children }: Props) {
  const [selected, setSelected] = useState<Range>();
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <SchemaForm text={text} onText={onText} onShow={(path) => setSelected(placeOfPath(text, path))} />
      <Stack gap="md" miw={0}>
        <TextEditor
          value={text}
          onChange={onText}
          label={words.schema.schema}
          language={jsonLanguage}
          complete={completeKeyword}
          selected={selected}
          {...(problems && { problems })}
        />
        {children}
      </Stack>
    </SimpleGrid>
  );
});
