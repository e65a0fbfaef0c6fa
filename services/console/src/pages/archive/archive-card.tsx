import { Alert, Badge, Code, Drawer, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { ActButton, SmallButton } from '../../components/buttons.tsx';
import { Card } from '../../components/cards.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { MadeBy } from '../../components/made-by.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { KeyForm } from './key-form.tsx';
import { ReadIt } from './read-it.tsx';
import { placeOf } from './read-lines.ts';
import { Runs } from './runs.tsx';

const colors = { active: 'teal', paused: 'gray', failing: 'red' };

export function ArchiveCard({ archive }: { archive: Schemas['Archive'] }) {
  const { id, to, state, reason, format, createdAt, createdBy } = archive;
  const { domain } = useApplication();
  const isOwner = useMay('owner');
  const [areRunsOpen, runs] = useDisclosure();
  const [isRead, reading] = useDisclosure();
  const [isRekeyed, key] = useDisclosure();
  const request = { params: { path: { domain, id } } };
  const path = '/api/applications/{domain}/archives/{id}';
  const next = state === 'paused' ? 'active' : 'paused';
  const change = (body: Schemas['ArchiveUpdate']) => dataOf(client.PATCH(path, { ...request, body }));
  const run = () =>
    dataOf(client.POST(`${path}/run`, request)).then(() => showSuccess(words.archives.begins));
  const place = placeOf(archive, domain);
  const name = archive.name ?? place;
  const named = (label: string) => ({ 'aria-label': words.archives.of(label, name), children: label });
  return (
    <Card
      actions={
        <>
          {isOwner && (
            <>
              {state !== 'paused' && <ActButton act={run} {...named(words.archives.run)} />}
              <ActButton act={() => change({ state: next })} {...named(words.archives.set[next])} />
            </>
          )}
          <SmallButton onClick={runs.open} {...named(words.archives.runs)} />
          <SmallButton onClick={reading.toggle} aria-expanded={isRead} {...named(words.archives.read)} />
          {isOwner && (
            <>
              {to.kind === 's3' && (
                <SmallButton
                  onClick={key.toggle}
                  aria-expanded={isRekeyed}
                  {...named(words.archives.newKey)}
                />
              )}
              <ConfirmButton
                label={words.common.delete}
                title={words.archives.of(words.common.delete, name)}
                question={words.archives.deleteText(place)}
                color="red"
                act={() => dataOf(client.DELETE(path, request))}
              />
            </>
          )}
        </>
      }
      below={
        <>
          {state === 'failing' && (
            <Alert color="red" title={reason} mt="xs" p="xs">
              {words.archives.failing}
            </Alert>
          )}
          <Facts archive={archive} />
          {isRekeyed && <KeyForm to={to} save={(typed) => change({ to: typed }).then(key.close)} />}
          {isRead && <ReadIt archive={archive} domain={domain} />}
          <Drawer opened={areRunsOpen} onClose={runs.close} position="right" size="xl" title={name}>
            <Runs id={id} />
          </Drawer>
        </>
      }
    >
      {archive.name !== undefined && <Text fw={600}>{archive.name}</Text>}
      <Badge color={colors[state]} variant="dot" size="sm" tt="none">
        {words.archives.states[state]}
      </Badge>
      <Code style={{ overflowWrap: 'anywhere' }}>{place}</Code>
      <Text>{words.archives.formatNames[format]}</Text>
      <MadeBy at={createdAt} by={createdBy} />
    </Card>
  );
}

/** What an archive has, and when it goes on, in plain words. */
function Facts({ archive }: { archive: Schemas['Archive'] }) {
  const { every, entries, bytes, covers, lag_seconds, last_run, next_run_at } = archive;
  return (
    <>
      <Text mt="xs">
        {words.archives.stored(entries, bytes)} {words.archives.covers(covers.from, covers.to)}{' '}
        {words.archives.lag(lag_seconds)}
      </Text>
      <Text>
        {words.archives.lastRun}: {last_run ? words.archives.outcome(last_run) : words.archives.noRun}
        {last_run && (
          <>
            , <RelativeTime at={last_run.at} />
          </>
        )}
      </Text>
      <Text>
        {words.archives.nextRun}:{' '}
        {next_run_at ? (
          <>
            <RelativeTime at={next_run_at} isAhead />, {words.archives.afterwards[every]}
          </>
        ) : (
          words.archives.pausedText
        )}
      </Text>
    </>
  );
}
