import { Button, Container, Text } from '@mantine/core';
import { Link, useRouteError } from 'react-router';
import { PageTitle } from '../components/page-title.tsx';
import { words } from '../words/en.ts';

export function NotFound() {
  return (
    <>
      <PageTitle title={words.errors.notFound} />
      <Button component={Link} to="/applications">
        {words.errors.toApplications}
      </Button>
    </>
  );
}

export const ReloadButton = () => (
  <Button onClick={() => window.location.reload()}>{words.errors.reload}</Button>
);

/** Replaces a page that threw. */
export function PageError() {
  const error = useRouteError();
  return (
    <Container role="alert" py="md">
      <PageTitle title={words.errors.pageBroken} />
      <Text mb="xs">{words.errors.pageBrokenText}</Text>
      <Text mb="md" ff="monospace">
        {String(error)}
      </Text>
      <ReloadButton />
    </Container>
  );
}
