import { useParams } from '@tanstack/react-router';
import type { Entry } from '../../api/call.js';
import { useKeyPages } from '../../api/key-pages.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.carriers;

type Report = Entry<'GET /carriers/:name/kept-reports'>;

/** What a carrier reported and is kept, because nothing used it. Bodies are shown by the command alone. */
export function KeptReportsPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  const pages = useKeyPages({
    queryKey: ['kept-reports', null, name],
    endpoint: 'GET /carriers/:name/kept-reports',
    params: { name },
    query: {},
  });
  const back = (
    <TextLink to="/installation/carriers" size="sm">
      {words.title}
    </TextLink>
  );
  return (
    <Page title={words.keptOf(name)} lead={words.keptLead} back={back}>
      <DataTable
        caption={words.keptOf(name)}
        columns={COLUMNS}
        pages={pages}
        empty={<EmptyState icon="tower" title={words.noKept} hint={words.noKeptHint} />}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Report>[] = [
  {
    key: 'at',
    header: words.keptAt,
    nowrap: true,
    render: ({ receivedAt }) => <TimeText value={receivedAt} as="exact" />,
  },
  { key: 'kind', header: words.keptKind, render: ({ kind }) => kind },
  { key: 'reason', header: words.keptReason, render: ({ reason }) => words.keptReasons[reason] ?? reason },
  { key: 'id', header: words.keptId, render: ({ id }) => id },
];
