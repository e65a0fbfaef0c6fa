import { Alert, List } from '@mantine/core';
import type { Fault } from '../../infer/check-rows.ts';
import { words } from '../../words/en.ts';

interface Props {
  rows: number;
  faults: Fault[];
  problem?: string | undefined;
}

/** Whether the sample conforms to the schema as it stands. */
export function CheckResult({ rows, faults, problem }: Props) {
  if (problem)
    return (
      <Alert color="red" title={words.create.schemaBroken}>
        {problem}
      </Alert>
    );
  if (rows === 0) return null;
  if (faults.length === 0) return <Alert color="teal" role="status" title={words.create.allConform(rows)} />;
  return (
    <Alert color="red" role="status" title={words.create.someDoNot}>
      <List size="sm">
        {faults.map(({ row, path, message }) => (
          <List.Item key={`${row} ${path} ${message}`}>{words.create.fault(row, path, message)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
