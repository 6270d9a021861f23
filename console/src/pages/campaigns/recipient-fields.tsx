import { MultiSelect, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { audienceChoicesQuery } from '../../api/audiences.js';
import type { CampaignDraft } from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { findFieldProblem } from '../../api/client/request.js';
import { groupsQuery } from '../../api/people.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { Section } from '../../ui/layout/section.js';
import { formatNumber } from '../../ui/values/numbers.js';

const words = text.campaigns;

export interface RecipientChoice {
  groupIds: readonly string[];
  audienceIds: readonly string[];
  /** Numbers as pasted. */
  numbers: string;
}

export const NO_RECIPIENTS: RecipientChoice = { groupIds: [], audienceIds: [], numbers: '' };

/** Numbers may contain spaces, so only line breaks, commas and semicolons separate them. */
export function splitNumbers(numbers: string): string[] {
  return numbers
    .split(/[\n,;]/)
    .map((number) => number.trim())
    .filter((number) => number !== '');
}

export function toDraftRecipients({ groupIds, audienceIds, numbers }: RecipientChoice): Partial<CampaignDraft> {
  return { groupIds: [...groupIds], audienceIds: [...audienceIds], recipients: splitNumbers(numbers) };
}

export function RecipientFields({
  channelRef,
  choice,
  error,
  onChange,
}: {
  channelRef: ChannelRef;
  choice: RecipientChoice;
  error: unknown;
  onChange: (choice: RecipientChoice) => void;
}) {
  const groups = useQuery(groupsQuery(channelRef));
  const audiences = useQuery(audienceChoicesQuery(channelRef));
  const loadingError = groups.error ?? audiences.error;
  const listed = splitNumbers(choice.numbers);
  return (
    <Section title={words.stepGroup}>
      {loadingError && <ErrorState error={loadingError} />}
      <MultiSelect
        label={words.groups}
        description={groups.data?.length === 0 ? words.noGroups : words.groupHint}
        error={findFieldProblem(error, 'groupId') ?? findFieldProblem(error, 'groupIds')}
        data={(groups.data ?? []).map(({ id, name, contactCount }) => ({
          value: id,
          label: words.groupChoice(name, formatNumber(contactCount)),
        }))}
        value={[...choice.groupIds]}
        onChange={(groupIds) => onChange({ ...choice, groupIds })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': text.common.clear }}
      />
      {(audiences.data ?? []).length > 0 && (
        <MultiSelect
          label={words.audiences}
          description={words.audiencesHint}
          error={findFieldProblem(error, 'audienceIds')}
          data={(audiences.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={[...choice.audienceIds]}
          onChange={(audienceIds) => onChange({ ...choice, audienceIds })}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': text.common.clear }}
        />
      )}
      <Textarea
        label={words.numbers}
        description={words.numbersHint}
        error={findFieldProblem(error, 'recipients') ?? findNumberProblem(error, listed)}
        value={choice.numbers}
        onChange={(event) => onChange({ ...choice, numbers: event.currentTarget.value })}
        autosize
        minRows={2}
        maxRows={10}
      />
    </Section>
  );
}

/** Names the first number that the server refused. */
function findNumberProblem(error: unknown, listed: readonly string[]): string | undefined {
  for (const [index, number] of listed.entries()) {
    const problem = findFieldProblem(error, `recipients[${index}]`);
    if (problem) return words.numberProblem(number, problem);
  }
  return undefined;
}
