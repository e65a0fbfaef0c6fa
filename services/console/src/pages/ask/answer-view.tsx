import { Group, Menu, Stack, Text } from '@mantine/core';
import { SmallButton } from '../../components/buttons.tsx';
import { formatTime } from '../../components/formats.ts';
import { useAct } from '../../components/use-act.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type DownloadFormat, download, type QuestionAnswer } from './answer.ts';
import { AnswerChart } from './answer-chart.tsx';
import { AnswerTable } from './answer-table.tsx';

interface Props {
  sql: string;
  answer: QuestionAnswer;
  /** Whether another question runs. */
  isOld: boolean;
}

/** What came for a question: how much, up to when, as a chart and as a table. */
export function AnswerView({ sql, answer, isOld }: Props) {
  const { rows, as_of, truncated } = answer;
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="space-between">
        <Text role="status">
          {words.ask.rows(rows.length, truncated)}{' '}
          {as_of ? words.ask.asOf(formatTime(as_of)) : words.ask.noEntry}
        </Text>
        <ExportMenu sql={sql} />
      </Group>
      <AnswerChart answer={answer} />
      {answer.columns.length > 0 && <AnswerTable key={sql} answer={answer} isOld={isOld} />}
    </Stack>
  );
}

/** Asks the question again, for a file. */
function ExportMenu({ sql }: { sql: string }) {
  const { domain } = useApplication();
  const { mutate, isPending } = useAct((format: DownloadFormat) => download(domain, sql, format));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <SmallButton size="xs" loading={isPending}>
          {words.ask.exportThis}
        </SmallButton>
      </Menu.Target>
      <Menu.Dropdown>
        {(['csv', 'ndjson', 'parquet'] as const).map((format) => (
          <Menu.Item key={format} onClick={() => mutate(format)}>
            {words.jobs.formats[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
