import { Fieldset, NativeSelect, Stack, TextInput } from '@mantine/core';
import { isJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { useState } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { parseExact } from '../../json/exact.ts';
import { drop, put } from '../../schema-form/edits.ts';
import { nodeAt, type Path, rootOf, textOf } from '../../schema-form/shape.ts';
import { words } from '../../words/en.ts';

type Schema = Record<string, unknown>;

interface Props {
  /** As `parseExact` reads it. */
  schema: unknown;
  /** The JSON of the payload. */
  text: string;
  onText: (text: string) => void;
  path?: Path;
}

/** Further fields are folded. */
const shownAtFirst = 20;

/** A field for each property of a schema, required ones first. They change a JSON text. */
export function ValueFields({ schema, path = [], ...shared }: Props) {
  const [isUnfolded, setUnfolded] = useState(false);
  const { properties = {}, required } = schema as { properties?: Schema; required?: string[] };
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const all = Object.entries(properties);
  const fields =
    all.length <= shownAtFirst ? all : all.toSorted(([a], [b]) => +isRequired(b) - +isRequired(a));
  const folded = isUnfolded ? 0 : Math.max(fields.length - shownAtFirst, 0);
  return (
    <Stack gap="xs">
      {fields.slice(0, fields.length - folded).map(([name, part]) => {
        const own = { ...shared, schema: part, path: [...path, name] };
        const isObject = (part as Schema | null)?.properties !== undefined;
        return isObject ? (
          <Fieldset key={name} legend={name} p="xs">
            <ValueFields {...own} />
          </Fieldset>
        ) : (
          <ValueField key={name} {...own} isRequired={isRequired(name)} />
        );
      })}
      {folded > 0 && (
        <SmallButton onClick={() => setUnfolded(true)}>{words.send.moreFields(folded)}</SmallButton>
      )}
    </Stack>
  );
}

/** What is chosen from, as JSON texts. */
function choicesOf({ type, enum: values }: Schema): string[] | undefined {
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value));
  return type === 'boolean' ? ['true', 'false'] : undefined;
}

type FieldProps = Required<Props> & { isRequired: boolean };

function ValueField({ schema, text, onText, path, isRequired }: FieldProps) {
  const [typed, setTyped] = useState<string>();
  const { type, format } = (schema ?? {}) as Schema;
  const root = rootOf(text);
  const node = root && nodeAt(root, path);
  const isText = [type].flat()[0] === 'string';
  const choices = choicesOf((schema ?? {}) as Schema);
  const json = node ? textOf(node, text).replace(/\s*\n\s*/g, '') : '';
  const set = (value: string, isString: boolean) => {
    if (value === '' && !(isString && isRequired)) return onText(drop(text, path));
    // Other text is sent as it is, to see how it is refused.
    onText(put(text, path, !isString && isJson(value) ? parseExact(value) : value));
  };
  const label = {
    label: String(path.at(-1)),
    'aria-label': toPointer(path.map(String)),
    description: [[type].flat().join(' | '), format].filter(Boolean).join(', '),
    withAsterisk: isRequired,
  };
  if (choices)
    return (
      <NativeSelect
        {...label}
        data={['', ...new Set([...choices, json])].filter((each, at) => at === 0 || each !== '')}
        value={json}
        onChange={({ currentTarget }) => set(currentTarget.value, false)}
      />
    );
  return (
    <TextInput
      {...label}
      value={typed ?? (node?.type === 'string' ? node.value : json)}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        set(value, isText);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
