import { Group, List, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Condition } from '../../../../src/features/audiences/condition.js';
import { audiencePreviewQuery } from '../../api/audiences.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { Section } from '../../ui/layout/section.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { personText } from '../../ui/values/phone.js';

const words = text.audiences;
/** Typing causes at most one count at a time. */
const DELAY_MS = 400;

export function useAudiencePreview(channelRef: ChannelRef, condition: Condition | null) {
  const [serialized] = useDebouncedValue(JSON.stringify(condition), DELAY_MS);
  return useQuery(audiencePreviewQuery(channelRef, JSON.parse(serialized) as Condition | null));
}

interface PreviewSectionProps {
  channelRef: ChannelRef;
  preview: Pick<ReturnType<typeof useAudiencePreview>, 'data' | 'isError'>;
  isComplete: boolean;
}

export function PreviewSection({ channelRef, preview: { data, isError }, isComplete }: PreviewSectionProps) {
  const isShown = isComplete && data !== undefined && !isError;
  return (
    <Section title={words.preview}>
      <div role="status">
        <Text fw={600} size="lg">
          {isShown ? words.count(formatNumber(data.count), data.countIsEstimate, data.count === 1) : '–'}
        </Text>
        {!isComplete && (
          <Text size="sm" c="dimmed">
            {words.incomplete}
          </Text>
        )}
        {isShown && data.countIsEstimate && (
          <Text size="sm" c="dimmed">
            {words.estimate}
          </Text>
        )}
      </div>
      {isShown && (
        <List size="sm" aria-label={words.examples} listStyleType="none">
          {data.contacts.map(({ id, name, ...person }) => (
            <List.Item key={id}>
              <Group gap="xs">
                <TextLink
                  to="/a/$accountId/contacts"
                  params={{ accountId: channelRef.accountId }}
                  search={{ channel: channelRef.channelId, contact: id }}
                >
                  {name || words.unnamed}
                </TextLink>
                <Text size="sm" c="dimmed">
                  {personText(person)}
                </Text>
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      {isShown && data.count === 0 && (
        <Text size="sm" c="dimmed">
          {words.noExamples}
        </Text>
      )}
    </Section>
  );
}
