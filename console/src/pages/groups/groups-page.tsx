import { Button, Group as Row, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { deleteGroup, type Group } from '../../api/people.js';
import { useSearchParams } from '../../browser/search.js';
import { useCan } from '../../session/session.js';
import { ChannelRequired } from '../../shared/channel-required.js';
import { text } from '../../text/en.js';
import { AddButton } from '../../ui/basics/add-button.js';
import { TextLink } from '../../ui/basics/links.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { actionsColumn, type Column } from '../../ui/tables/data-table.js';
import { SearchedTable } from '../../ui/tables/searched-table.js';
import { formatNumber, NumberText } from '../../ui/values/numbers.js';
import { GroupDialog } from './group-dialog.js';

const words = text.groups;

export function GroupsPage() {
  const mayChange = useCan('developer');
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        mayChange && (
          <ChannelRequired quiet>
            {(channelRef) => (
              <>
                <AddButton onClick={() => setCreating(true)}>{words.create}</AddButton>
                {creating && <GroupDialog channelRef={channelRef} group={null} onClose={() => setCreating(false)} />}
              </>
            )}
          </ChannelRequired>
        )
      }
    >
      <ChannelRequired>
        {(channelRef) => <Groups key={channelRef.channelId} channelRef={channelRef} mayChange={mayChange} />}
      </ChannelRequired>
    </Page>
  );
}

function Groups({ channelRef, mayChange }: { channelRef: ChannelRef; mayChange: boolean }) {
  const client = useQueryClient();
  const [{ search, channel }] = useSearchParams();
  const [edited, setEdited] = useState<Group | null>(null);
  const pages = useKeyPages({
    queryKey: ['groups', channelRef.accountId, channelRef.channelId],
    endpoint: 'GET /accounts/:accountId/channels/:channelId/groups',
    params: channelRef,
    query: { search },
  });
  const remove = async ({ id }: Group) => {
    await deleteGroup(channelRef, id);
    notify(words.deleted);
    await client.invalidateQueries({ queryKey: ['groups', channelRef.accountId] });
  };
  const columns: Column<Group>[] = [
    {
      key: 'name',
      header: words.name,
      bare: true,
      render: ({ id, name }) => (
        <TextLink
          to="/a/$accountId/contacts"
          params={{ accountId: channelRef.accountId }}
          search={{ channel, groupId: id }}
        >
          {name}
        </TextLink>
      ),
    },
    {
      key: 'members',
      header: words.members,
      align: 'right',
      render: ({ contactCount }) => <NumberText value={contactCount} />,
    },
    {
      key: 'description',
      header: words.description,
      render: ({ description }) => <Text size="sm">{description || '–'}</Text>,
    },
  ];
  if (mayChange) {
    columns.push(
      actionsColumn((group) => (
        <Row gap="xs" justify="flex-end" wrap="nowrap">
          <Button size="xs" variant="default" onClick={() => setEdited(group)}>
            {text.common.edit}
          </Button>
          <ConfirmButton
            size="xs"
            title={words.deleteTitle(group.name)}
            consequence={words.deleteConsequence(formatNumber(group.contactCount))}
            confirm={words.deleteConfirm}
            onConfirm={() => remove(group)}
          >
            {text.common.delete}
          </ConfirmButton>
        </Row>
      )),
    );
  }
  return (
    <>
      <SearchedTable words={words} icon="users" columns={columns} pages={pages} rowKey={({ id }) => id} />
      {edited && <GroupDialog channelRef={channelRef} group={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
