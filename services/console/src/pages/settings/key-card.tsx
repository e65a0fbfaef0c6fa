import { Code, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Card } from '../../components/cards.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { MadeBy } from '../../components/made-by.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { KeyForm } from './key-form.tsx';

interface Props {
  ingestKey: Schemas['Key'];
  onIssued: (issued: Schemas['IssuedKey']) => void;
}

export function KeyCard({ ingestKey, onIssued }: Props) {
  const { id, name, prefix, createdAt, createdBy, lastUsedAt, uploads_24h = 0, refused_24h = 0 } = ingestKey;
  const { domain } = useApplication();
  const [isEdited, edit] = useDisclosure();
  const request = { params: { path: { domain, id } } };
  const path = '/api/applications/{domain}/keys/{id}';
  const change = (body: Schemas['KeyUpdate']) => dataOf(client.PATCH(path, { ...request, body }));
  return (
    <Card
      actions={
        <>
          <SmallButton onClick={edit.toggle} aria-label={words.settings.editKey(name)}>
            {words.settings.edit}
          </SmallButton>
          <ConfirmButton
            label={words.common.rotate}
            title={words.settings.rotateKey(name)}
            question={words.settings.rotateText}
            act={() => dataOf(client.POST(`${path}/rotate`, request)).then(onIssued)}
          />
          <ConfirmButton
            label={words.common.revoke}
            title={words.settings.revokeKey(name)}
            question={words.settings.revokeText}
            color="red"
            act={() => dataOf(client.DELETE(path, request))}
          />
        </>
      }
      below={
        <>
          <Text>
            {words.settings.keyDay(uploads_24h, refused_24h)} ·{' '}
            {lastUsedAt ? words.tokens.lastUse : words.tokens.unused}{' '}
            {lastUsedAt && <RelativeTime at={lastUsedAt} />}
          </Text>
          <Text>{words.settings.keyLimits(ingestKey.upload_rate, ingestKey.expires_at)}</Text>
          {isEdited && <KeyForm ingestKey={ingestKey} save={(body) => change(body).then(edit.close)} />}
        </>
      }
    >
      <Text fw={600}>{name}</Text>
      <Code>{prefix}…</Code>
      <MadeBy at={createdAt} by={createdBy} />
    </Card>
  );
}
