import { Button, Checkbox, Group as Row, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS } from '../../../../src/features/contacts/contact-fields.js';
import { contactTagsQuery } from '../../api/account/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { buildExportUrl, type Contact, groupsQuery } from '../../api/people.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan } from '../../session/session.js';
import { ChannelRequired } from '../../shared/channel-required.js';
import { contactFieldText } from '../../shared/contact-field-text.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ButtonLink, TextLink } from '../../ui/basics/links.js';
import { EmptyList } from '../../ui/feedback/empty-list.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable, nameColumn } from '../../ui/tables/data-table.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { personText } from '../../ui/values/phone.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';
import { ContactDrawer } from './contact-drawer.js';
import { ContactFilters } from './contact-filters.js';
import { NewContact } from './new-contact.js';
import { SelectionBar } from './selection-bar.js';

const words = text.contacts;

const CREATED_COLUMN: Column<Contact> = {
  key: 'createdAt',
  header: words.createdAt,
  nowrap: true,
  wideOnly: true,
  render: ({ createdAt }) => <TimeText value={createdAt} as="date" />,
};

const TAGS_COLUMN: Column<Contact> = {
  key: 'tags',
  header: words.tags,
  breaks: true,
  render: ({ tags }) => tags.join(', ') || '–',
};

export function ContactsPage() {
  const mayChange = useCan('developer');
  return (
    <Page title={words.title} lead={words.lead} actions={<ChannelRequiredActions mayChange={mayChange} />}>
      <ChannelRequired>
        {(channelRef) => <Contacts key={channelRef.channelId} channelRef={channelRef} mayChange={mayChange} />}
      </ChannelRequired>
    </Page>
  );
}

function ChannelRequiredActions({ mayChange }: { mayChange: boolean }) {
  const [params] = useSearchParams();
  return (
    <ChannelRequired quiet>
      {(channelRef) => (
        <>
          <Button
            component="a"
            href={buildExportUrl(channelRef, params)}
            download
            variant="default"
            leftSection={<Icon name="download" size={16} />}
          >
            {words.export}
          </Button>
          {mayChange && (
            <>
              <ButtonLink
                to="/a/$accountId/imports"
                params={{ accountId: channelRef.accountId }}
                search={{ channel: params.channel, start: 'file' }}
                variant="default"
                leftSection={<Icon name="upload" size={16} />}
              >
                {words.import}
              </ButtonLink>
              <NewContact channelRef={channelRef} />
            </>
          )}
        </>
      )}
    </ChannelRequired>
  );
}

function Contacts({ channelRef, mayChange }: { channelRef: ChannelRef; mayChange: boolean }) {
  const [params, setParams] = useSearchParams();
  const { search, groupId, audienceId, tag: tags } = params;
  const fields = params.field && params.value ? JSON.stringify({ [params.field]: params.value }) : undefined;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // The search text whose results are all selected, or null.
  const [selectedSearch, setSelectedSearch] = useState<string | null>(null);
  const { data: groups = [] } = useQuery(groupsQuery(channelRef));
  const { data: knownTags = [] } = useQuery(contactTagsQuery(channelRef.accountId));
  const pages = useKeyPages({
    queryKey: ['contacts', channelRef.accountId, channelRef.channelId],
    endpoint: 'GET /accounts/:accountId/channels/:channelId/contacts',
    params: channelRef,
    query: { search, groupId, audienceId, tags, fields },
  });
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    select(next);
  };
  const select = (ids: ReadonlySet<string>) => {
    setSelected(ids);
    setSelectedSearch(null);
  };
  const unselect = (id: string) => setSelected((last) => new Set([...last].filter((selectedId) => selectedId !== id)));
  const query = JSON.stringify({ search, groupId, audienceId, tags, fields });
  const { rows = [], total = 0 } = pages;
  const isPageSelected = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  const togglePage = () => {
    const next = new Set(selected);
    for (const { id } of rows) isPageSelected ? next.delete(id) : next.add(id);
    select(next);
  };
  const isSearchSelected = selectedSearch === query;
  const columns: Column<Contact>[] = [
    nameColumn(words.fields.name, ({ id, name, ...person }) => (
      <Row gap="sm" wrap="nowrap">
        {mayChange && (
          <Checkbox
            checked={selected.has(id)}
            aria-label={words.selectOne(name || personText(person))}
            onChange={() => toggle(id)}
          />
        )}
        <TextLink to="." search={(last: object) => ({ ...last, contact: id })}>
          {name || <Text span>{words.unnamed}</Text>}
        </TextLink>
      </Row>
    )),
    { key: 'phone', header: words.phone, nowrap: true, render: personText },
    ...CONTACT_FIELD_NAMES.filter((field) => field !== 'name' && CONTACT_FIELDS[field].isListed).map(
      (field): Column<Contact> => ({
        key: field,
        header: words.fields[field],
        breaks: true,
        render: (contact) => contactFieldText(contact[field]) || '–',
      }),
    ),
    {
      key: 'optedOut',
      header: words.optedOut,
      render: ({ optedOut }) =>
        optedOut ? <StatusBadge status="opted_out" label={words.optedOut} color="red" /> : '–',
    },
    // The table is too narrow for both, and the page of a contact shows when it was created.
    knownTags.length > 0 ? TAGS_COLUMN : CREATED_COLUMN,
  ];
  const isFiltered = Boolean(search || groupId || audienceId || tags || fields);
  return (
    <Stack gap="md">
      <ContactFilters channelRef={channelRef} groups={groups} />
      {mayChange && rows.length > 0 && (
        <Row gap="md" mih={36}>
          <Checkbox
            label={words.selectPage}
            checked={isPageSelected}
            indeterminate={!isPageSelected && rows.some(({ id }) => selected.has(id))}
            onChange={togglePage}
          />
          {isPageSelected && !isSearchSelected && total > rows.length && (
            <Button size="xs" variant="subtle" onClick={() => setSelectedSearch(query)}>
              {words.selectFound(formatNumber(total))}
            </Button>
          )}
        </Row>
      )}
      {mayChange && selected.size > 0 && (
        <SelectionBar
          channelRef={channelRef}
          contactIds={[...selected]}
          searchSelection={
            isSearchSelected
              ? {
                  ...(search && { search }),
                  ...(groupId && { groupId }),
                  ...(audienceId && { audienceId }),
                  ...(tags && { tags }),
                  ...(fields && { fields }),
                  count: formatNumber(total),
                }
              : null
          }
          groups={groups}
          groupId={groupId}
          onDone={() => select(new Set())}
        />
      )}
      <DataTable
        caption={words.title}
        columns={columns}
        pages={pages}
        onOpen={({ id }) => setParams({ contact: id, cursor: params.cursor })}
        empty={
          <EmptyList
            isSearch={isFiltered}
            notFound={words.noMatch}
            notFoundHint={words.noMatchHint}
            icon="users"
            title={words.empty}
            hint={words.emptyHint}
            action={mayChange && <NewContact channelRef={channelRef} />}
          />
        }
      />
      <ContactDrawer channelRef={channelRef} mayChange={mayChange} onDeleted={unselect} />
    </Stack>
  );
}
