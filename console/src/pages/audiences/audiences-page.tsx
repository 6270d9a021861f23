import { Text } from '@mantine/core';
import { BUILT_IN_KINDS, listTests } from '../../../../src/features/audiences/condition.js';
import { type Audience, audiencesKey } from '../../api/audiences.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan } from '../../session/session.js';
import { ChannelRequired } from '../../shared/channel-required.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ButtonLink, TextLink } from '../../ui/basics/links.js';
import { Page } from '../../ui/layout/page.js';
import { actionsColumn, type Column } from '../../ui/tables/data-table.js';
import { SearchedTable } from '../../ui/tables/searched-table.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.audiences;

export function AudiencesPage() {
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={<ChannelRequired quiet>{(channelRef) => <CreateLink channelRef={channelRef} />}</ChannelRequired>}
    >
      <ChannelRequired>
        {(channelRef) => <Audiences key={channelRef.channelId} channelRef={channelRef} />}
      </ChannelRequired>
    </Page>
  );
}

function CreateLink({ channelRef: { accountId, channelId } }: { channelRef: ChannelRef }) {
  if (!useCan('developer')) return null;
  return (
    <ButtonLink
      to="/a/$accountId/audiences/$audienceId"
      params={{ accountId, audienceId: 'new' }}
      search={{ channel: channelId }}
      leftSection={<Icon name="plus" size={16} />}
    >
      {words.create}
    </ButtonLink>
  );
}

function Audiences({ channelRef }: { channelRef: ChannelRef }) {
  const [{ search }] = useSearchParams();
  const { accountId, channelId } = channelRef;
  const pages = useKeyPages({
    queryKey: audiencesKey(channelRef),
    endpoint: 'GET /accounts/:accountId/channels/:channelId/audiences',
    params: channelRef,
    query: { search },
  });
  const columns: Column<Omit<Audience, 'condition'> & { condition: unknown }>[] = [
    {
      key: 'name',
      header: words.name,
      bare: true,
      render: ({ id, name }) => (
        <TextLink
          to="/a/$accountId/audiences/$audienceId"
          params={{ accountId, audienceId: id }}
          search={{ channel: channelId }}
        >
          {name}
        </TextLink>
      ),
    },
    {
      key: 'fields',
      header: words.conditions,
      render: ({ condition }) => <Text size="sm">{listFields(condition as Audience['condition'])}</Text>,
    },
    {
      key: 'updatedAt',
      header: words.updatedAt,
      nowrap: true,
      render: ({ updatedAt }) => <TimeText value={updatedAt} as="date" />,
    },
    actionsColumn(({ id }) => (
      <ButtonLink
        to="/a/$accountId/contacts"
        params={{ accountId }}
        search={{ channel: channelId, audienceId: id }}
        size="xs"
        variant="default"
      >
        {words.show}
      </ButtonLink>
    )),
  ];
  return (
    <SearchedTable
      words={words}
      icon="users"
      columns={columns}
      pages={pages}
      rowKey={({ id }) => id}
      action={<CreateLink channelRef={channelRef} />}
    />
  );
}

/** For example "Country, Tags, plan". */
function listFields(condition: Audience['condition']): string {
  const names = listTests(condition).map(({ field }) =>
    Object.hasOwn(BUILT_IN_KINDS, field) ? (words.fields[field] ?? field) : field.replace('fields.', ''),
  );
  return [...new Set(names)].join(', ');
}
