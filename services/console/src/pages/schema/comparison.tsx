import { Group, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { formatJson } from '../../json/format.ts';
import { JsonDiff } from '../../json/json-diff.tsx';
import { words } from '../../words/en.ts';
import type { SchemaVersion } from './schemas.ts';

interface Props {
  versions: SchemaVersion[];
  /** Is compared with the one before it; the newest unless given. */
  initial?: number | undefined;
}

/** How two versions of a schema differ, whatever their spaces. */
export function Comparison({ versions, initial = versions[0]?.version ?? 1 }: Props) {
  const [after, setAfter] = useState(initial);
  const [before, setBefore] = useState(initial - 1);
  const numbers = versions.map(({ version }) => String(version));
  const textOf = (wanted: number) =>
    formatJson(versions.find(({ version }) => version === wanted)?.raw_schema ?? '');
  return (
    <Stack gap="xs">
      <Group>
        <NativeSelect
          label={words.schema.fromVersion}
          data={numbers}
          value={before}
          onChange={({ currentTarget }) => setBefore(Number(currentTarget.value))}
        />
        <NativeSelect
          label={words.schema.toVersion}
          data={numbers}
          value={after}
          onChange={({ currentTarget }) => setAfter(Number(currentTarget.value))}
        />
      </Group>
      <JsonDiff
        before={textOf(before)}
        after={textOf(after)}
        label={words.schema.difference(before, after)}
      />
    </Stack>
  );
}
