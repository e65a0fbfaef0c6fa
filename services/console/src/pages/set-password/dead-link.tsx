import { Anchor, Paper, Text } from '@mantine/core';
import { Link } from 'react-router';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';

/** In place of a page whose link was used, or has expired. */
export const DeadLink = () => (
  <Paper maw={440} mx="auto" mt="xl" p="lg" withBorder>
    <PageTitle title={words.setPassword.dead} />
    <Text mb="md">{words.setPassword.deadText}</Text>
    <Anchor component={Link} to="/sign-in">
      {words.signIn.title}
    </Anchor>
  </Paper>
);
