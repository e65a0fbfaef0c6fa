import { Alert, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { words } from '../words/en.ts';
import { type Form, Others } from './field-inputs.tsx';
import { Fields } from './fields.tsx';
import { type Path, rootOf, shapeOf } from './shape.ts';

interface Props {
  text: string;
  onText: (text: string) => void;
  onShow: (path: Path) => void;
}

/** The schema as a form. What it cannot show stays in the text. */
export function SchemaForm({ text, onText, onShow }: Props) {
  const root = useMemo(() => rootOf(text), [text]);
  const shape = root && shapeOf(root, text);
  if (!shape) return <Alert color="gray">{words.form.noForm}</Alert>;
  const form: Form = { text, edit: (change) => onText(change(text)), show: onShow };
  return (
    <Stack gap="xs" miw={0} role="group" aria-label={words.form.title}>
      <Others form={form} path={[]} shape={shape} />
      <Fields form={form} path={[]} pointer="" shape={shape} />
    </Stack>
  );
}
