import { NativeSelect, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Campaign, campaignsKey, updateCampaign } from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { groupsQuery } from '../../api/people.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';
import { formatNumber } from '../../ui/values/numbers.js';

const words = text.campaigns;

interface EditCampaignProps {
  channelRef: ChannelRef;
  campaign: Campaign;
  onClose(): void;
}

/** Changes a campaign that has not started. Templates keep their parameters, so only the text of an SMS can be changed. */
export function EditCampaignDialog({ channelRef, campaign, onClose }: EditCampaignProps) {
  const client = useQueryClient();
  const { data: groups = [] } = useQuery(groupsQuery(channelRef));
  const [name, setName] = useState(campaign.name);
  const [body, setBody] = useState(campaign.text ?? '');
  const [optOutLine, setOptOutLine] = useState(campaign.optOutLine ?? '');
  const [groupId, setGroupId] = useState(campaign.groupId);
  const [at, setAt] = useState(toLocalTime(campaign.scheduledAt));
  const submit = async () => {
    await updateCampaign(channelRef, campaign.id, {
      name,
      ...(groupId !== null && { groupId }),
      ...(campaign.text !== null && { text: body, optOutLine: optOutLine === '' ? null : optOutLine }),
      // A time to the second would be shortened to the minute by the field.
      ...(at !== toLocalTime(campaign.scheduledAt) && { scheduledAt: at === '' ? null : new Date(at).toISOString() }),
    });
    await client.invalidateQueries({ queryKey: campaignsKey(channelRef) });
    notify(words.changed.edit);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.editTitle}
      submit={words.save}
      fields={['name', 'text', 'optOutLine', 'groupId', 'scheduledAt']}
      onSubmit={submit}
    >
      {(problem, field) => (
        <>
          <TextField label={words.name} required maxLength={255} {...field('name', name, setName)} />
          {campaign.text !== null && (
            <>
              <Textarea
                label={words.text}
                description={words.textHint}
                required
                autosize
                minRows={3}
                maxRows={10}
                value={body}
                error={problem('text')}
                onChange={(event) => setBody(event.currentTarget.value)}
              />
              <TextField
                label={words.optOutLine}
                description={words.optOutLineHint}
                {...field('optOutLine', optOutLine, setOptOutLine)}
              />
            </>
          )}
          {groupId !== null && (
            <NativeSelect
              label={words.group}
              required
              value={groupId}
              error={problem('groupId')}
              onChange={(event) => setGroupId(event.currentTarget.value)}
              data={groups.map(({ id, name: groupName, contactCount }) => ({
                value: id,
                label: words.groupChoice(groupName, formatNumber(contactCount)),
              }))}
            />
          )}
          <TextField
            type="datetime-local"
            label={words.when}
            description={words.whenHint(Intl.DateTimeFormat().resolvedOptions().timeZone)}
            {...field('scheduledAt', at, setAt)}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Formats a time for an input of type `datetime-local`: local time without a zone. */
function toLocalTime(iso: string | null): string {
  if (iso === null) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
