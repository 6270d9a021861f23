import { Group as Row } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { contactTagsQuery } from '../../api/account/contact-fields.js';
import { audienceChoicesQuery } from '../../api/audiences.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import type { Group } from '../../api/people.js';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';
import { SearchField } from '../../ui/forms/search-field.js';
import { Choice } from './choice.js';
import { FieldFilter } from './field-filter.js';

const words = text.contacts;

interface ContactFiltersProps {
  channelRef: ChannelRef;
  groups: readonly Group[];
}

/** Filters of the list of contacts, kept as query parameters. */
export function ContactFilters({ channelRef, groups }: ContactFiltersProps) {
  const [{ groupId, audienceId, tag }, setParams] = useSearchParams();
  const { data: audiences = [] } = useQuery(audienceChoicesQuery(channelRef));
  const { data: tags = [] } = useQuery(contactTagsQuery(channelRef.accountId));
  return (
    <Row gap="sm">
      <SearchField label={words.search} />
      <Choice
        label={words.group}
        placeholder={words.allGroups}
        data={groups.map(toOption)}
        value={groupId}
        onChange={(value) => setParams({ groupId: value })}
        nothingFoundMessage={words.noGroups}
      />
      {(audiences.length > 0 || audienceId) && (
        <Choice
          label={words.audience}
          placeholder={words.allAudiences}
          data={audiences.map(toOption)}
          value={audienceId}
          onChange={(value) => setParams({ audienceId: value })}
        />
      )}
      {(tags.length > 0 || tag) && (
        <Choice
          label={words.tag}
          placeholder={words.allTags}
          data={tag && !tags.includes(tag) ? [...tags, tag] : tags}
          value={tag}
          onChange={(value) => setParams({ tag: value })}
        />
      )}
      <FieldFilter accountId={channelRef.accountId} />
    </Row>
  );
}

const toOption = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name });
