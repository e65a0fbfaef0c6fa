import { Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { senderMeta } from '@sluice/tables/columns.ts';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { Choice, choicesOf } from '../../components/choice.tsx';
import { Form } from '../../components/form.tsx';
import { words } from '../../words/en.ts';
import { KeyFields } from './key-form.tsx';

type Fault = (place: string) => string | undefined;
type Typed = Record<keyof Schemas['NewArchiveTarget'] | keyof Schemas['NewArchive'], string> &
  Record<'is_host_style', string>;

const textNames = ['endpoint', 'region', 'bucket', 'prefix', 'access_key_id', 'secret_access_key'] as const;

/** The body of the request. What is left empty is not in it. */
function toNewArchive(typed: Typed, kind: Schemas['ArchiveKind']): Schemas['NewArchive'] {
  const texts = textNames.filter((name) => typed[name]).map((name) => [name, typed[name]]);
  const meta = senderMeta.filter((name) => name in typed);
  return {
    to: { kind, ...Object.fromEntries(texts), ...(typed.is_host_style && { path_style: false }) },
    ...(typed.name && { name: typed.name }),
    format: typed.format as Schemas['ArchiveFormat'],
    every: typed.every as Schemas['ArchivePeriod'],
    from: typed.from as Schemas['ArchiveStart'],
    ...(meta.length > 0 && { meta }),
  };
}

/** Where an archive goes, how and how often. */
export function ArchiveForm({ save }: { save: (body: Schemas['NewArchive']) => Promise<unknown> }) {
  const [kind, setKind] = useState<Schemas['ArchiveKind']>('s3');
  return (
    <Form<Typed> act={(typed) => save(toNewArchive(typed, kind))} submit={words.archives.submit}>
      {(fault) => (
        <>
          <Choice
            maw={320}
            label={words.archives.kind}
            labels={words.archives.kinds}
            value={kind}
            onChoice={setKind}
            error={fault('/to/kind')}
          />
          {kind === 's3' && <BucketFields fault={fault} />}
          <Group align="flex-start">
            {(['format', 'every', 'from'] as const).map((name) => (
              <NativeSelect
                key={name}
                name={name}
                label={words.archives.choices[name]}
                data={choicesOf<string>(words.archives[`${name}Names`])}
                error={fault(`/${name}`)}
              />
            ))}
          </Group>
          <details>
            <summary>{words.exports.more}</summary>
            <Stack mt="sm">
              <TextInput name="name" label={words.archives.name} maxLength={100} error={fault('/name')} />
              <Checkbox.Group label={words.exports.meta}>
                <Group mt={4}>
                  {senderMeta.map((name) => (
                    <Checkbox key={name} name={name} value={name} label={words.archives.meta[name]} />
                  ))}
                </Group>
              </Checkbox.Group>
              {kind === 's3' && <Checkbox name="is_host_style" label={words.archives.hostStyle} />}
            </Stack>
          </details>
        </>
      )}
    </Form>
  );
}

const BucketFields = ({ fault }: { fault: Fault }) => (
  <>
    <Group align="flex-start">
      <TextInput
        name="bucket"
        label={words.archives.bucket}
        required
        maxLength={63}
        error={fault('/to/bucket')}
      />
      <TextInput
        name="prefix"
        label={words.archives.prefix}
        description={words.archives.optional}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        maxLength={512}
        error={fault('/to/prefix')}
      />
      <TextInput
        name="region"
        label={words.archives.region}
        description={words.archives.optional}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder="us-east-1"
        maxLength={64}
        error={fault('/to/region')}
      />
    </Group>
    <TextInput
      name="endpoint"
      label={words.archives.endpoint}
      description={words.archives.endpointText}
      placeholder="https://s3.example.com"
      maxLength={2_000}
      error={fault('/to/endpoint')}
    />
    <KeyFields fault={fault} />
  </>
);
