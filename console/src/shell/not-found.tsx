import { Box } from '@mantine/core';
import { text } from '../text/en.js';
import { ButtonLink } from '../ui/basics/links.js';
import { EmptyState } from '../ui/feedback/empty-state.js';
import { Page } from '../ui/layout/page.js';

export function NotFound() {
  return (
    <Page title={text.shell.notFound}>
      <EmptyState
        icon="search"
        title={text.shell.notFoundTitle}
        hint={text.shell.notFoundHint}
        action={<ButtonLink to="/">{text.shell.home}</ButtonLink>}
      />
    </Page>
  );
}

/** Page for unknown paths outside the shell. */
export function NotFoundPage() {
  return (
    <main>
      <Box p="xl">
        <NotFound />
      </Box>
    </main>
  );
}
