import { Checkbox, Code, NativeSelect, Table, Text } from '@mantine/core';
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
import type { Field, TypeName } from '@sluice/schemas/infer/survey.ts';
import type { Choice, Choices } from '@sluice/schemas/infer/to-schema.ts';
import type { Column, Columns } from '@sluice/tables/sample/read-csv.ts';
import { memo, useState } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';

interface Props {
  field: Field;
  choices: Choices;
  columns: Columns;
  onChoices(choices: Choices): void;
}

const labels = words.create.columns;
/** Longer examples would widen the table. */
const shown = (example: unknown) => JSON.stringify(example)?.slice(0, 40) ?? '';

const pageSize = 100;

/** It may have many rows, and need not follow what is typed elsewhere. */
export const FieldTable = memo(function FieldTable({ field, choices, columns, onChoices }: Props) {
  const [limit, setLimit] = useState(pageSize);
  const rows = fieldRows(field);
  const left = rows.length - limit;
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {Object.values(labels).map((label) => (
              <Table.Th key={label}>{label}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.slice(0, limit).map((row) => (
            <Row
              key={row.pointer}
              row={row}
              choice={choices[row.pointer] ?? {}}
              column={columns[row.pointer]}
              onChoice={(choice) =>
                onChoices({ ...choices, [row.pointer]: { ...choices[row.pointer], ...choice } })
              }
            />
          ))}
        </Table.Tbody>
      </Table>
      {left > 0 && (
        <SmallButton onClick={() => setLimit(limit + pageSize)}>
          {words.form.more(Math.min(pageSize, left), left)}
        </SmallButton>
      )}
    </Table.ScrollContainer>
  );
});

interface RowProps {
  row: FieldRow;
  choice: Choice;
  column: Column | undefined;
  onChoice(choice: Choice): void;
}

/** The types to choose from. A column of a CSV can also be read as text, or as what most of its cells are. */
function choicesOf(field: Field, column: Column | undefined): string[] {
  const own = typeChoices(field);
  if (!column || column.most === 'json' || column.fits === 0) return own;
  return [
    ...new Set([
      ...(column.kind === 'string' ? ['string', column.most] : [...typesOf(field), ...own, 'string']),
    ]),
  ];
}

function Row({ row: { name, pointer, depth, field, parent }, choice, column, onChoice }: RowProps) {
  const types = typesOf(field).join(', ');
  const choices = choicesOf(field, column);
  const format = formatOf(field);
  const labelOf = (column: string) => words.create.ofField(column, pointer);
  const named = (type: string) => (field.nulls > 0 ? words.create.orNull(type) : type);
  const isMixed = column && column.fits > 0 && column.fits < column.filled;
  return (
    <Table.Tr>
      <Table.Td pl={`${0.5 + depth * 1.25}rem`} fw={500}>
        {name ?? words.create.items}
      </Table.Td>
      <Table.Td>
        {choices.length > 1 ? (
          <NativeSelect
            size="xs"
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
        {isMixed && (
          <Text size="xs">{words.create.mixedColumn(column.fits, column.filled, column.most)}</Text>
        )}
      </Table.Td>
      <Table.Td>
        {name !== undefined && (
          <Checkbox
            aria-label={labelOf(labels.required)}
            label={words.create.inSamples(field.count - field.nulls, parent.objects)}
            disabled={!isAlways(field, parent)}
            checked={isAlways(field, parent) && (choice.required ?? isSuggested(field, parent))}
            onChange={({ currentTarget }) => onChoice({ required: currentTarget.checked })}
          />
        )}
      </Table.Td>
      <Table.Td>
        {format && (
          <Checkbox
            aria-label={labelOf(format)}
            label={format}
            checked={!choice.anyText}
            onChange={({ currentTarget }) => onChoice({ anyText: !currentTarget.checked })}
          />
        )}
      </Table.Td>
      <Table.Td>
        {isListable(field) && (
          <Checkbox
            aria-label={labelOf(labels.values)}
            label={[...(field.values ?? [])].join(', ')}
            checked={choice.onlyThese ?? false}
            onChange={({ currentTarget }) => onChoice({ onlyThese: currentTarget.checked })}
          />
        )}
      </Table.Td>
      <Table.Td>
        <Code>{shown(field.example)}</Code>
      </Table.Td>
    </Table.Tr>
  );
}
