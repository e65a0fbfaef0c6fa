import { Button, Group } from '@mantine/core';
import { SmallButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';
import type { AskedColumn } from './columns.ts';
import { examplesOf } from './examples.ts';

interface Props {
  sql: string;
  columns: AskedColumn[];
  isRunning: boolean;
  run: (sql: string) => void;
  cancel: () => void;
}

/** Asks the question of the editor, or an example. */
export const QuestionBar = ({ sql, columns, isRunning, run, cancel }: Props) => (
  <Group gap="xs">
    <Button loading={isRunning} disabled={!sql.trim()} onClick={() => run(sql)} title={words.ask.keys}>
      {words.ask.ask}
    </Button>
    {isRunning && <SmallButton onClick={cancel}>{words.common.cancel}</SmallButton>}
    {examplesOf(columns).map(({ name, column = '', sql: example }) => (
      <SmallButton key={name} size="xs" onClick={() => run(example)}>
        {words.ask.examples[name](column)}
      </SmallButton>
    ))}
  </Group>
);
