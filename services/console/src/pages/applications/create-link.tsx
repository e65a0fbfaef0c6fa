import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { words } from '../../words/en.ts';

export const CreateLink = () => (
  <Button component={Link} to="/applications/new">
    {words.applications.create}
  </Button>
);
