import { Button } from '@mantine/core';
import { Link } from 'react-router';
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
