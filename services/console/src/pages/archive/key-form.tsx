import { PasswordInput, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { Form } from '../../components/form.tsx';
import { words } from '../../words/en.ts';

export type BucketKey = Record<'access_key_id' | 'secret_access_key', string>;

interface FieldsProps {
  fault: (place: string) => string | undefined;
  keyId?: string | undefined;
}

/** The key of a bucket. Browsers must not offer to keep its secret. */
export const KeyFields = ({ fault, keyId }: FieldsProps) => (
  <>
    <TextInput
      name="access_key_id"
      label={words.archives.keyId}
      required
      maxLength={128}
      autoComplete="off"
      defaultValue={keyId}
      error={fault('/to/access_key_id')}
    />
    <PasswordInput
      name="secret_access_key"
      label={words.archives.secret}
      description={words.archives.secretText}
      required
      maxLength={256}
      autoComplete="new-password"
      error={fault('/to/secret_access_key')}
    />
  </>
);

interface Props {
  to: Schemas['ArchiveTarget'];
  save: (key: BucketKey) => Promise<unknown>;
}

/** Another key for the bucket of an archive. */
export const KeyForm = ({ to, save }: Props) => (
  <Form act={save} submit={words.archives.saveKey} mt="sm">
    {(fault) => <KeyFields fault={fault} keyId={to.access_key_id} />}
  </Form>
);
