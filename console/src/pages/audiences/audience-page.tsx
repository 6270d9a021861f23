import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Condition } from '../../../../src/features/audiences/condition.js';
import { audienceQuery, audiencesKey, createAudience, deleteAudience, updateAudience } from '../../api/audiences.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useRemoval } from '../../api/client/removal.js';
import { useCan } from '../../session/session.js';
import { ChannelRequired } from '../../shared/channel-required.js';
import { text } from '../../text/en.js';
import { ButtonLink, TextLink } from '../../ui/basics/links.js';
import { DeleteButton } from '../../ui/dialogs/delete-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { Page } from '../../ui/layout/page.js';
import { PendingPage } from '../../ui/layout/pending-page.js';
import { AudienceForm } from './audience-form.js';

const words = text.audiences;

/** Shows the form for a new audience if the ID in the URL is `new`. */
export function AudiencePage() {
  const { audienceId = '' } = useParams({ strict: false });
  return (
    <ChannelRequired>
      {(channelRef) =>
        audienceId === 'new' ? (
          <NewAudience key={channelRef.channelId} channelRef={channelRef} />
        ) : (
          <AudienceView key={audienceId} channelRef={channelRef} id={audienceId} />
        )
      }
    </ChannelRequired>
  );
}

function Back({ channelRef }: { channelRef: ChannelRef }) {
  return (
    <TextLink
      to="/a/$accountId/audiences"
      params={{ accountId: channelRef.accountId }}
      search={{ channel: channelRef.channelId }}
    >
      {words.back}
    </TextLink>
  );
}

function NewAudience({ channelRef }: { channelRef: ChannelRef }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = async (audience: { name: string; condition: Condition }) => {
    const { id } = await createAudience(channelRef, audience);
    await client.invalidateQueries({ queryKey: audiencesKey(channelRef) });
    notify(words.created);
    await navigate({
      to: '/a/$accountId/audiences/$audienceId',
      params: { accountId: channelRef.accountId, audienceId: id },
      search: { channel: channelRef.channelId },
    });
  };
  return (
    <Page title={words.create} back={<Back channelRef={channelRef} />} narrow>
      <AudienceForm channelRef={channelRef} initial={null} submit={words.create} onSubmit={create} />
    </Page>
  );
}

function AudienceView({ channelRef, id }: { channelRef: ChannelRef; id: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const removal = useRemoval();
  const mayChange = useCan('developer');
  const { data: audience, error, refetch } = useQuery(audienceQuery(channelRef, id));
  const back = <Back channelRef={channelRef} />;
  if (!audience) return <PendingPage title={words.audience} back={back} error={error} onRetry={() => void refetch()} />;
  const save = async (change: { name: string; condition: Condition }) => {
    await updateAudience(channelRef, id, change);
    await client.invalidateQueries({ queryKey: audiencesKey(channelRef) });
    notify(words.saved);
  };
  const { accountId, channelId } = channelRef;
  const remove = () =>
    removal({
      queryKey: audienceQuery(channelRef, id).queryKey,
      remove: () => deleteAudience(channelRef, id),
      leave: () => navigate({ to: '/a/$accountId/audiences', params: { accountId }, search: { channel: channelId } }),
      listsKey: audiencesKey(channelRef),
    });
  return (
    <Page
      title={audience.name}
      back={back}
      narrow
      actions={
        <>
          <ButtonLink
            to="/a/$accountId/contacts"
            params={{ accountId }}
            search={{ channel: channelId, audienceId: id }}
            variant="default"
          >
            {words.show}
          </ButtonLink>
          {mayChange && <DeleteButton name={audience.name} words={words} onDelete={remove} />}
        </>
      }
    >
      <AudienceForm
        channelRef={channelRef}
        initial={audience}
        submit={text.common.save}
        readOnly={!mayChange}
        onSubmit={save}
      />
    </Page>
  );
}
