import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function PlaygroundPage() {
  return (
    <Page title={text.playground.title}>
      <EmptyState icon="play" title={text.common.nothing} />
    </Page>
  );
}
