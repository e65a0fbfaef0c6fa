import { Alert } from '@mantine/core';
import type { EditorProblem } from '../editor/text-editor.tsx';

export const ProblemList = ({ problems }: { problems: EditorProblem[] }) =>
  problems.map(({ message, severity }) => (
    <Alert key={message} p="xs" color={severity === 'error' ? 'red' : 'orange'}>
      {message}
    </Alert>
  ));
