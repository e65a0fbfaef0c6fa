import { Alert, List, Text } from '@mantine/core';
import { RequestFailure } from '../api/failure.ts';
import { words } from '../words/en.ts';
import { SmallButton } from './buttons.tsx';

/** Shows a failure with its details, and the request id by which the log tells more. */
export function ErrorAlert({ error, onRetry }: { error: Error; onRetry?: (() => unknown) | undefined }) {
  const { details = [], requestId } = error instanceof RequestFailure ? error : {};
  return (
    <Alert color="red" title={words.errors.title} role="alert" my="md">
      <Text>{error.message}</Text>
      {details.length > 0 && (
        <List size="sm" mt="xs">
          {details.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              {path} {message}
            </List.Item>
          ))}
        </List>
      )}
      {requestId && (
        <Text size="xs" mt="xs" ff="monospace">
          {words.common.requestId(requestId)}
        </Text>
      )}
      {onRetry && (
        <SmallButton mt="sm" onClick={() => onRetry()}>
          {words.common.retry}
        </SmallButton>
      )}
    </Alert>
  );
}
