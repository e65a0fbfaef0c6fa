import { useMemo, useState } from 'react';
import { checkRows, type Fault } from '../../infer/check-rows.ts';
import { survey } from '../../infer/survey.ts';
import { type Choices, toSchema } from '../../infer/to-schema.ts';
import { readSample } from '../../sample/read-sample.ts';

const openSchema = '{\n  "type": "object",\n  "properties": {}\n}';

interface Check {
  faults: Fault[];
  /** Why the rows could not be checked. */
  problem?: string;
}

function check(schemaText: string, rows: object[]): Check {
  try {
    return { faults: checkRows(JSON.parse(schemaText), rows) };
  } catch (error) {
    return { faults: [], problem: (error as Error).message };
  }
}

/** The application that is being made: its sample, what was chosen of its fields, its schema, and how they fit. */
export function useDraft() {
  const [text, setText] = useState('');
  const [choices, setChoices] = useState<Choices>({});
  const [edited, setEdited] = useState<string>();
  const { rows, problem } = useMemo(() => readSample(text), [text]);
  const field = useMemo(() => survey(rows), [rows]);
  const inferred = useMemo(() => JSON.stringify(toSchema(field, choices), null, 2), [field, choices]);
  const schemaText = edited ?? inferred;
  const checked = useMemo(() => check(schemaText, rows), [schemaText, rows]);
  return {
    ...{ text, setText, choices, setChoices, edited, setEdited, rows, problem, field, schemaText, checked },
    writeByHand: () => setEdited(rows.length > 0 ? inferred : openSchema),
  };
}
