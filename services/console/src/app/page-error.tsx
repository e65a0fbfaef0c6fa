import { Button, Container, Text } from '@mantine/core';
import { useRouteError } from 'react-router';
import { PageTitle } from '../components/page-title.tsx';
import { words } from '../words/en.ts';

/** In the place of a page that broke, or whose files are gone since an update. */
export function PageError() {
  const error = useRouteError();
  return (
    <Container role="alert" py="md">
      <PageTitle title={words.errors.pageBroken} />
      <Text mb="xs">{words.errors.pageBrokenText}</Text>
      <Text mb="md" size="sm" ff="monospace">
        {String(error)}
      </Text>
      <Button onClick={() => window.location.reload()}>{words.errors.reload}</Button>
    </Container>
  );
}
