import { Checkbox, Code, NativeSelect, Text } from '@mantine/core';
import {
  type FieldRow,
  fieldRows,
  formatOf,
  isAlways,
  isListable,
  isSuggested,
  typeChoices,
  typesOf,
} from '@sluice/schemas/infer/fields.ts';
import { exactJson } from '@sluice/schemas/infer/number-texts.ts';
import type { SampledField, TypeName } from '@sluice/schemas/infer/survey.ts';
import type { Choices, InferredChoice } from '@sluice/schemas/infer/to-schema.ts';
import type { Columns, CsvColumn } from '@sluice/tables/sample/read-csv.ts';
import { Fragment, memo, useState } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';

interface Props {
  field: SampledField;
  choices: Choices;
  columns: Columns;
  onChoices(choices: Choices): void;
}

const labels = words.create.columns;
/** Longer examples would widen the table. */
const shown = (example: unknown) => exactJson(example)?.slice(0, 40) ?? '';

const pageSize = 100;

/** It may have many rows, and need not follow what is typed elsewhere. */
export const FieldTable = memo(function FieldTable({ field, choices, columns, onChoices }: Props) {
  const [limit, setLimit] = useState(pageSize);
  const rows = fieldRows(field);
  const left = rows.length - limit;
  return (
    <>
      <WideTable
        label={words.create.fields}
        head={Object.values(labels)}
        rows={rows.slice(0, limit).map((row) => ({
          key: row.pointer,
          cells: cellsOf({
            row,
            choice: choices[row.pointer] ?? {},
            column: columns[row.pointer],
            onChoice: (choice) =>
              onChoices({ ...choices, [row.pointer]: { ...choices[row.pointer], ...choice } }),
          }),
        }))}
      />
      {left > 0 && (
        <SmallButton onClick={() => setLimit(limit + pageSize)}>
          {words.form.more(Math.min(pageSize, left), left)}
        </SmallButton>
      )}
    </>
  );
});

interface RowProps {
  row: FieldRow;
  choice: InferredChoice;
  column: CsvColumn | undefined;
  onChoice(choice: InferredChoice): void;
}

/** The types to choose from. A column of a CSV can also be read as text, or as what most of its cells are. */
function choicesOf(field: SampledField, column: CsvColumn | undefined): string[] {
  const own = typeChoices(field);
  if (!column || column.most === 'json' || column.fits === 0) return own;
  return [
    ...new Set([
      ...(column.kind === 'string' ? ['string', column.most] : [...typesOf(field), ...own, 'string']),
    ]),
  ];
}

function cellsOf({ row: { name, pointer, depth, field, parent }, choice, column, onChoice }: RowProps) {
  const types = typesOf(field).join(', ');
  const choices = choicesOf(field, column);
  const format = formatOf(field);
  const labelOf = (column: string) => words.create.ofField(column, pointer);
  const named = (type: string) => (field.nulls > 0 ? words.create.orNull(type) : type);
  const isMixed = column && column.fits > 0 && column.fits < column.filled;
  return [
    <Text key="name" pl={`${depth * 1.25}rem`} fw={500}>
      {name ?? words.create.items}
    </Text>,
    <Fragment key="type">
      {choices.length > 1 ? (
        <NativeSelect
          aria-label={labelOf(labels.type)}
          data={choices.map((type) => ({
            value: type,
            // Of several types, only the integer is chosen.
            label: named(types.includes(', ') ? types.replace('integer', type) : type),
          }))}
          value={choice.type ?? choices[0]}
          onChange={({ currentTarget }) => onChoice({ type: currentTarget.value as TypeName })}
        />
      ) : (
        named(types)
      )}
      {isMixed && <Text size="xs">{words.create.mixedColumn(column.fits, column.filled, column.most)}</Text>}
    </Fragment>,
    name !== undefined && (
      <Checkbox
        key="required"
        aria-label={labelOf(labels.required)}
        label={words.create.inSamples(field.count - field.nulls, parent.objects)}
        disabled={!isAlways(field, parent)}
        checked={isAlways(field, parent) && (choice.required ?? isSuggested(field, parent))}
        onChange={({ currentTarget }) => onChoice({ required: currentTarget.checked })}
      />
    ),
    format && (
      <Checkbox
        key="format"
        aria-label={labelOf(format)}
        label={format}
        checked={!choice.anyText}
        onChange={({ currentTarget }) => onChoice({ anyText: !currentTarget.checked })}
      />
    ),
    isListable(field) && (
      <Checkbox
        key="values"
        aria-label={labelOf(labels.values)}
        label={[...(field.values ?? [])].join(', ')}
        checked={choice.onlyThese ?? false}
        onChange={({ currentTarget }) => onChoice({ onlyThese: currentTarget.checked })}
      />
    ),
    <Code key="example">{shown(field.example)}</Code>,
  ];
}
