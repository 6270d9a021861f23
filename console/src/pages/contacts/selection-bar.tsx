import { Button, Menu, Paper, Group as Row, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { addSearchResults, changeMembers, deleteContacts, type Group } from '../../api/people.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { notify, notifyError } from '../../ui/feedback/notices.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { TagDialog } from './tag-dialog.js';

const words = text.contacts;

export interface SearchSelection {
  search?: string;
  groupId?: string;
  audienceId?: string;
  tags?: string;
  /** JSON of field values. */
  fields?: string;
  count: string;
}

interface SelectionBarProps {
  channelRef: ChannelRef;
  contactIds: readonly string[];
  /** If set, all results of this search are selected, and `contactIds` is ignored. */
  searchSelection: SearchSelection | null;
  groups: readonly Group[];
  groupId: string | undefined;
  onDone(): void;
}

/** Bar with actions for all selected contacts, including those on other pages of the list. */
export function SelectionBar({ channelRef, contactIds, searchSelection, groups, groupId, onDone }: SelectionBarProps) {
  const client = useQueryClient();
  const refresh = async () => {
    onDone();
    await client.invalidateQueries({ queryKey: ['contacts', channelRef.accountId] });
    await client.invalidateQueries({ queryKey: ['groups', channelRef.accountId] });
    await client.invalidateQueries({ queryKey: ['contact-tags', channelRef.accountId] });
  };
  const change = useMutation({
    mutationFn: ({ id, kind }: { id: string; kind: 'add' | 'remove' }) =>
      searchSelection
        ? addSearchResults(channelRef, id, toFound(searchSelection))
        : changeMembers(channelRef, id, kind, contactIds),
    onSuccess: async ({ changed }, { id, kind }) => {
      const name = groups.find((group) => group.id === id)?.name ?? '';
      const count = formatNumber(changed);
      notify(kind === 'add' ? words.addedToGroup(count, name) : words.removedFromGroup(count));
      await refresh();
    },
    onError: notifyError,
  });
  const remove = async () => {
    const { deleted } = await deleteContacts(channelRef, contactIds);
    notify(words.deleted(formatNumber(deleted)));
    await refresh();
  };
  const [isTagging, setTagging] = useState(false);
  const count = formatNumber(contactIds.length);
  return (
    <Paper withBorder p="xs" radius="md">
      <Row gap="sm">
        <Text size="sm" fw={600} role="status">
          {searchSelection ? words.selectedFound(searchSelection.count) : words.selected(count)}
        </Text>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button size="xs" variant="default" loading={change.isPending}>
              {words.addToGroup}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah="50vh" style={{ overflowY: 'auto' }}>
            {groups.length === 0 && <Menu.Label>{words.noGroups}</Menu.Label>}
            {groups.map(({ id, name }) => (
              <Menu.Item key={id} onClick={() => change.mutate({ id, kind: 'add' })}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button size="xs" variant="default" onClick={() => setTagging(true)}>
          {words.tags}
        </Button>
        {groupId && !searchSelection && (
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate({ id: groupId, kind: 'remove' })}
          >
            {words.removeFromGroup}
          </Button>
        )}
        {!searchSelection && (
          <ConfirmButton size="xs" {...words.deleteQuestion(words.deleteSome(count))} onConfirm={remove}>
            {text.common.delete}
          </ConfirmButton>
        )}
        <Button size="xs" variant="subtle" onClick={onDone}>
          {words.clear}
        </Button>
      </Row>
      {isTagging && (
        <TagDialog
          channelRef={channelRef}
          target={searchSelection ? { found: toFound(searchSelection) } : { contactIds: [...contactIds] }}
          onClose={() => setTagging(false)}
          onDone={refresh}
        />
      )}
    </Paper>
  );
}

function toFound({ search, groupId, audienceId, tags, fields }: SearchSelection) {
  return {
    ...(search && { search }),
    ...(groupId && { groupId }),
    ...(audienceId && { audienceId }),
    ...(tags && { tags }),
    ...(fields && { fields }),
  };
}
