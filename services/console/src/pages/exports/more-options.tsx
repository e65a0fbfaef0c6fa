import { Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { words } from '../../words/en.ts';
import type { ExportChoices } from './export-request.ts';

interface Props {
  choices: ExportChoices;
  choose: (some: Partial<ExportChoices>) => void;
  filterError: string | undefined;
}

/** What most exports do without. */
export function MoreOptions({ choices, choose, filterError }: Props) {
  const { format, arrays, meta, escapesFormulas, filter } = choices;
  return (
    <details>
      <summary>{words.exports.more}</summary>
      <Stack mt="sm">
        <TextInput
          label={words.exports.filter}
          description={words.exports.filterHint}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={filter}
          onChange={(event) => choose({ filter: event.currentTarget.value })}
          error={filterError}
        />
        <Checkbox.Group
          label={words.exports.meta}
          value={meta}
          onChange={(chosen) => choose({ meta: chosen })}
        >
          <Group mt={4}>
            <Checkbox value="id" label={words.exports.metaId} />
            <Checkbox value="schema_version" label={words.exports.metaVersion} />
          </Group>
        </Checkbox.Group>
        {format === 'csv' && (
          <>
            <NativeSelect
              label={words.exports.arrays}
              data={words.exports.arrayChoices}
              value={arrays}
              onChange={(event) => choose({ arrays: event.currentTarget.value as ExportChoices['arrays'] })}
            />
            <Checkbox
              label={words.exports.formulas}
              checked={escapesFormulas}
              onChange={(event) => choose({ escapesFormulas: event.currentTarget.checked })}
            />
          </>
        )}
      </Stack>
    </details>
  );
}
