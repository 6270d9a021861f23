import { Alert } from '@mantine/core';
import { useSearchParams } from '../browser/search.js';
import { text } from '../text/en.js';
import { wordFor } from '../text/word-for.js';
import { Icon } from '../ui/basics/icons.js';

/** Shows the error that the issuer or the server adds to the URL when redirecting to the page. */
export function OidcProblem({ title }: { title: string }) {
  const [{ problem }] = useSearchParams();
  if (!problem) return null;
  return (
    <Alert color="red" variant="light" title={title} icon={<Icon name="warning" />} role="alert">
      {wordFor(text.oidc.problems, problem) ?? text.oidc.problems.server}
    </Alert>
  );
}
