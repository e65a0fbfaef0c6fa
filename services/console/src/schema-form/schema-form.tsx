import { Alert, Group, Stack, Text } from '@mantine/core';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { words } from '../words/en.ts';
import { Closed, NewField, Others } from './field-inputs.tsx';
import { Fields } from './fields.tsx';
import type { FieldFact, Form, OpenField } from './form.ts';
import { rootOf, shapeOf } from './shape.ts';

interface Props extends Pick<Form, 'text' | 'edit' | 'show' | 'isReadOnly'> {
  facts?: Form['facts'] | undefined;
  changes?: Form['changes'] | undefined;
}

const noFacts: Form['facts'] = new Map<string, FieldFact>();
const noChanges: Form['changes'] = [];

/** The arrow keys move between the lines. */
function moveByKey(event: KeyboardEvent<HTMLElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>('button.field-line')];
  const at = lines.indexOf(event.target as HTMLElement);
  if (!step || at < 0) return;
  event.preventDefault();
  lines[at + step]?.focus();
}

/** The schema as a document: a line for each field, which opens its inputs. What it cannot show stays in the text. */
export function SchemaForm({ facts = noFacts, changes = noChanges, ...given }: Props) {
  const { text, isReadOnly } = given;
  const tree = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<OpenField>();
  const [folds, setFolds] = useState<Record<string, boolean>>({});
  const root = useMemo(() => rootOf(text), [text]);
  const shape = root && shapeOf(root, text);
  useEffect(() => {
    if (open?.isNew) tree.current?.querySelector<HTMLElement>('.field-panel select')?.focus();
  }, [open]);
  if (!shape) return <Alert color="gray">{words.form.noForm}</Alert>;
  const fold = (id: string, isFolded: boolean) => setFolds({ ...folds, [id]: isFolded });
  const form: Form = { ...given, facts, changes, open, setOpen, folds, fold };
  const part = { form, path: [], pointer: '', shape };
  return (
    <Stack gap="xs" ref={tree} role="group" aria-label={words.form.document} onKeyDown={moveByKey}>
      {shape.title && <Text fw={600}>{shape.title}</Text>}
      {shape.description && (
        <Text c="dimmed" style={{ whiteSpace: 'pre-wrap' }}>
          {shape.description}
        </Text>
      )}
      <Others {...part} />
      <Fields {...part} />
      {shape.properties.length === 0 && <Text c="dimmed">{words.form.noFields}</Text>}
      {isReadOnly && shape.isClosed && <Text c="dimmed">{words.form.closed}</Text>}
      {!isReadOnly && (
        <Group gap="sm">
          <NewField {...part} />
          <Closed {...part} />
        </Group>
      )}
    </Stack>
  );
}
