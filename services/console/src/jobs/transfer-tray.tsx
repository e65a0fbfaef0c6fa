import { Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { SmallButton } from '../components/buttons.tsx';
import { formatBytes } from '../components/formats.ts';
import { words } from '../words/en.ts';
import { type Transfer, transfers, useTransfers } from './transfers.ts';

/** Downloads and uploads that are under way, on whatever page the user is. */
export function TransferTray() {
  const all = useTransfers();
  if (all.length === 0) return null;
  return (
    <Paper
      component="aside"
      withBorder
      shadow="md"
      p="sm"
      className="tray"
      aria-label={words.transfers.title}
    >
      <Stack gap="sm">
        {all.map((transfer) => (
          <Row key={transfer.id} transfer={transfer} />
        ))}
      </Stack>
    </Paper>
  );
}

function Row({ transfer: { id, label, bytes, total, state, error, canResume } }: { transfer: Transfer }) {
  const isRunning = state === 'running';
  return (
    <Stack gap={4}>
      <Text fw={600} truncate>
        {label}
      </Text>
      <Progress
        value={total > 0 ? (100 * bytes) / total : 0}
        color={error ? 'red' : 'cyan'}
        aria-label={words.transfers.progress(label)}
      />
      {error && (
        <Text c="var(--mantine-color-error)" role="status">
          {error.message}
        </Text>
      )}
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs">{words.jobs.ofTotal(formatBytes(bytes), formatBytes(total))}</Text>
        <Group gap={4} wrap="nowrap">
          {isRunning && canResume && (
            <SmallButton size="compact-xs" onClick={() => transfers.pause(id)}>
              {words.transfers.pause}
            </SmallButton>
          )}
          {!isRunning && canResume && (
            <SmallButton size="compact-xs" onClick={() => transfers.resume(id)}>
              {words.transfers.resume}
            </SmallButton>
          )}
          <SmallButton size="compact-xs" onClick={() => transfers.drop(id)}>
            {isRunning ? words.common.cancel : words.common.close}
          </SmallButton>
        </Group>
      </Group>
    </Stack>
  );
}
