import { Alert, Anchor, Badge, Code, Group, Loader, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { toLine } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { type SentUpload, useUploads } from './use-uploads.ts';

const shownLength = 120;

/** The uploads as they come, each with what was wrong with it. */
export function Uploads() {
  const { domain } = useApplication();
  const { uploads, stored, refused, before, error } = useUploads(domain, useMay('editor'));
  const [fault] = uploads.find(({ faults }) => faults)?.faults ?? [];
  const isFirst = before === false;
  return (
    <Stack gap="xs" component="section" aria-label={words.send.uploads}>
      {error && <ErrorAlert error={error} />}
      <Stack gap="xs" aria-live="polite">
        {stored === 0 && (
          <Alert p="xs" color="gray" icon={<Loader size="xs" />}>
            <b>{isFirst ? words.send.waitingFirst : words.send.waiting}</b>. {words.send.waitingText}
          </Alert>
        )}
        {stored > 0 && (
          <Alert p="xs" color="green">
            <b>{isFirst && stored === 1 ? words.send.arrived : words.send.stored(stored)}</b>{' '}
            <Anchor component={Link} to={`/applications/${domain}/entries`}>
              {words.send.toEntries}
            </Anchor>
          </Alert>
        )}
        {refused > 0 && (
          <Alert p="xs" color="red">
            <b>{words.send.refused(refused, fault)}</b>{' '}
            <Anchor component={Link} to={`/applications/${domain}/refused`}>
              {words.send.toRefused}
            </Anchor>
          </Alert>
        )}
      </Stack>
      <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }}>
        {uploads.map((upload) => (
          <Row key={upload.id} upload={upload} />
        ))}
      </Stack>
    </Stack>
  );
}

function Row({ upload: { at, payload, faults } }: { upload: SentUpload }) {
  return (
    <Group component="li" gap="xs">
      <Badge variant="dot" color={faults ? 'red' : 'teal'} miw={96}>
        {faults ? words.send.isRefused : words.send.isStored}
      </Badge>
      <Text miw={100}>
        <RelativeTime at={at} />
      </Text>
      {faults?.map(({ path, message }) => (
        <Text key={`${path} ${message}`} fw={600}>
          {path} {message}
        </Text>
      ))}
      <Code style={{ overflowWrap: 'anywhere' }}>{toLine(payload).slice(0, shownLength)}</Code>
    </Group>
  );
}
