import { Anchor, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { CodeBlock } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { words } from '../../words/en.ts';
import { CreateLink } from './create-link.tsx';

const demo = 'npm run demo';

const Step = ({ title, text, children }: { title: string; text: string; children: ReactNode }) => (
  <Stack gap="xs" align="flex-start">
    <Title order={3}>{title}</Title>
    <Text>{text}</Text>
    {children}
  </Stack>
);

/** What one can do in an empty installation. */
export function FirstSteps() {
  const steps = words.overview.firstSteps;
  return (
    <>
      <EmptyState {...words.applications.empty}>
        <CreateLink />
      </EmptyState>
      <div className="first-steps">
        <Step title={steps.import} text={steps.importText}>
          <Anchor component={Link} to="/applications/new" fz="sm">
            {steps.importLink}
          </Anchor>
        </Step>
        <Step title={steps.demo} text={steps.demoText}>
          <CodeBlock code={demo} />
        </Step>
        <Step title={steps.docs} text={steps.docsText}>
          <Anchor href="/api/docs" fz="sm">
            {words.layout.apiDocs}
          </Anchor>
        </Step>
      </div>
    </>
  );
}
