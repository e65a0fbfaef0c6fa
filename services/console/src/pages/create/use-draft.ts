import { survey } from '@sluice/schemas/infer/survey.ts';
import { type Choices, toSchema } from '@sluice/schemas/infer/to-schema.ts';
import { readSample, type Sample } from '@sluice/tables/sample/read-sample.ts';
import { useDeferredValue, useMemo, useState } from 'react';
import { checkRows, mostFaults, type RowFault } from '../../json/check-rows.ts';
import { useHistory } from '../../schema-form/use-history.ts';

const openSchema = '{\n  "type": "object",\n  "properties": {}\n}';

interface DraftCheck {
  faults: RowFault[];
  /** Why the rows could not be checked. */
  problem?: string;
}

/** Without a schema, all rows conform: theirs is inferred from them. */
function check(schemaText: string | undefined, { rows, problems }: Sample): DraftCheck {
  const unread = problems.map((problem) => ({ ...problem, path: '' }));
  try {
    const found = schemaText === undefined ? [] : checkRows(JSON.parse(schemaText), rows);
    const faults = [...unread, ...found];
    return { faults: faults.sort((a, b) => a.row - b.row).slice(0, mostFaults) };
  } catch (error) {
    return { faults: [], problem: (error as Error).message };
  }
}

/** The new application: its sample, the choices for its fields, its schema, and whether they fit. */
export function useDraft() {
  const [text, setText] = useState('');
  const [choices, setChoices] = useState<Choices>({});
  const [edited, setKept] = useState<string>();
  const steps = useHistory(edited, setKept);
  const { write: setEdited } = steps;
  // The types of columns decide how a CSV is read. Other choices must not read it again.
  const types = JSON.stringify(Object.entries(choices).map(([pointer, { type }]) => [pointer, type]));
  const sample = useMemo(() => readSample(text, Object.fromEntries(JSON.parse(types))), [text, types]);
  const { rows, problems, columns } = sample;
  const field = useMemo(() => survey(rows.map(({ value }) => value)), [rows]);
  const inferred = useMemo(() => JSON.stringify(toSchema(field, choices), null, 2), [field, choices]);
  const schemaText = edited ?? inferred;
  // Who types does not wait for the check of many rows.
  const written = useDeferredValue(edited);
  const checked = useMemo(() => check(written, sample), [written, sample]);
  return {
    text,
    setText,
    choices,
    setChoices,
    edited,
    setEdited,
    steps,
    rows,
    problems,
    columns,
    field,
    schemaText,
    checked,
    writeByHand: () => setEdited(rows.length > 0 ? inferred : openSchema),
  };
}

export type ApplicationDraft = ReturnType<typeof useDraft>;
