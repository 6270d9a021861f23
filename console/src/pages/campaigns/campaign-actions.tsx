import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Campaign, campaignsKey, changeCampaign } from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { WorkButton } from '../../ui/dialogs/work-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { EditCampaignDialog } from './edit-campaign.js';
import { TestSendDialog } from './test-send.js';

const words = text.campaigns;

/** Buttons of a campaign's page, for operators who may change it. */
export function CampaignActions({ channelRef, campaign }: { channelRef: ChannelRef; campaign: Campaign }) {
  const client = useQueryClient();
  const mayChange = useCan('developer');
  const [isEditing, setEditing] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const { id, name, status, startedAt } = campaign;
  const changeState = async (verb: 'pause' | 'resume' | 'cancel') => {
    await changeCampaign(channelRef, id, verb);
    await client.invalidateQueries({ queryKey: campaignsKey(channelRef) });
    notify(words.changed[verb]);
  };
  if (!mayChange || !['scheduled', 'running', 'paused'].includes(status)) return null;
  return (
    <>
      {startedAt === null && (
        <Button leftSection={<Icon name="edit" size={16} />} variant="default" onClick={() => setEditing(true)}>
          {words.edit}
        </Button>
      )}
      <Button leftSection={<Icon name="send" size={16} />} variant="default" onClick={() => setTesting(true)}>
        {text.campaignActions.test}
      </Button>
      {isTesting && <TestSendDialog channelRef={channelRef} campaign={campaign} onClose={() => setTesting(false)} />}
      {isEditing && (
        <EditCampaignDialog channelRef={channelRef} campaign={campaign} onClose={() => setEditing(false)} />
      )}
      {status === 'paused' ? (
        <WorkButton variant="filled" leftSection={<Icon name="play" size={16} />} work={() => changeState('resume')}>
          {words.resume}
        </WorkButton>
      ) : (
        <WorkButton leftSection={<Icon name="pause" size={16} />} work={() => changeState('pause')}>
          {words.pause}
        </WorkButton>
      )}
      <ConfirmButton
        title={words.cancelTitle(name)}
        consequence={words.cancelConsequence}
        confirm={words.cancelConfirm}
        onConfirm={() => changeState('cancel')}
        leftSection={<Icon name="stop" size={16} />}
      >
        {words.cancel}
      </ConfirmButton>
    </>
  );
}
