import { Code } from '@mantine/core';

/** Shows a request or response body, and indents it if it is complete JSON. */
export function BodyBlock({ body, mah }: { body: string; mah?: number }) {
  return (
    <Code
      block
      tabIndex={0}
      {...(mah !== undefined && { mah })}
      style={{
        ...(mah !== undefined && { overflow: 'auto' }),
        textAlign: 'start',
        whiteSpace: 'pre-wrap',
        overflowWrap: 'anywhere',
      }}
    >
      {formatBody(body)}
    </Code>
  );
}

function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
