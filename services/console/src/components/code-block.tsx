import { Code } from '@mantine/core';

/** Code of several lines, which the keyboard can scroll. */
export const CodeBlock = ({ children }: { children: string }) => (
  <Code block tabIndex={0}>
    {children}
  </Code>
);
