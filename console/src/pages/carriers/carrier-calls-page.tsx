import { Button, Modal, Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import type { Entry } from '../../api/client/call.js';
import { useKeyPages } from '../../api/client/key-pages.js';
import { useSearchParams } from '../../browser/search.js';
import { MessageLink } from '../../shared/message-link.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { StatusFilter } from '../../ui/forms/status-filter.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { FactLines } from '../../ui/tables/facts.js';
import { BodyBlock } from '../../ui/values/body-block.js';
import { formatNumber } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { TimeText } from '../../ui/values/time-text.js';

const words = text.carriers;

type Call = Entry<'GET /carriers/:name/calls'>;

export function CarrierCallsPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  const [{ status, messageId }] = useSearchParams();
  const [openId, setOpenId] = useState<string | null>(null);
  const pages = useKeyPages({
    queryKey: ['carrier-calls', null, name],
    endpoint: 'GET /carriers/:name/calls',
    params: { name },
    query: { status, messageId },
  });
  const openCall = pages.rows?.find(({ id }) => id === openId);
  const back = (
    <TextLink to="/installation/carriers" size="sm">
      {words.title}
    </TextLink>
  );
  return (
    <Page title={words.callsOf(name)} lead={words.callsLead} back={back}>
      <StatusFilter label={words.callState} allLabel={words.allCalls} statuses={['failed']} />
      <DataTable
        caption={words.callsOf(name)}
        columns={listColumns(setOpenId)}
        pages={pages}
        onOpen={({ id }) => setOpenId(id)}
        empty={<EmptyState icon="tower" title={words.noCalls} hint={words.noCallsHint} />}
      />
      <Modal opened={openCall !== undefined} onClose={() => setOpenId(null)} title={words.callTitle} size="xl">
        {openCall && <CallView call={openCall} />}
      </Modal>
    </Page>
  );
}

function listColumns(open: (id: string) => void): Column<Call>[] {
  return [
    {
      key: 'at',
      header: words.callAt,
      bare: true,
      nowrap: true,
      render: ({ id, at }) => (
        <Button variant="subtle" size="compact-sm" onClick={() => open(id)}>
          <TimeText value={at} as="exact" />
        </Button>
      ),
    },
    { key: 'outcome', header: words.callAnswer, render: (call) => <Outcome call={call} /> },
    {
      key: 'took',
      header: words.callTook,
      align: 'right',
      render: ({ milliseconds }) => words.milliseconds(formatNumber(milliseconds)),
    },
    {
      key: 'call',
      header: words.call,
      render: ({ method, url }) => <Address method={method} url={URL.canParse(url) ? new URL(url).pathname : url} />,
    },
    { key: 'message', header: words.callMessage, nowrap: true, render: (call) => <CallMessage call={call} /> },
  ];
}

function Outcome({ call: { failed, status, failure } }: { call: Call }) {
  return (
    <StatusBadge status={failed ? 'failed' : 'delivered'} label={status === null ? String(failure) : String(status)} />
  );
}

/** Shows a URL in which lines can break after each slash. */
function Address({ method, url }: { method: string; url: string }) {
  const parts = url.split('/');
  return (
    <span>
      {`${method} `}
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are a fixed list and may be identical.
        <Fragment key={index}>
          {part}
          {index < parts.length - 1 && '/'}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}

function CallMessage({ call: { messageId, accountId }, whole }: { call: Call; whole?: boolean }) {
  return messageId === null ? (
    '–'
  ) : (
    <MessageLink messageId={messageId} accountId={accountId} {...(whole && { whole })} />
  );
}

function CallView({ call }: { call: Call }) {
  const { at, method, url, milliseconds, request, answer } = call;
  return (
    <Stack>
      <FactLines
        facts={[
          [words.callAt, <TimeText key="at" value={at} as="exact" />],
          [words.call, <Address key="call" method={method} url={url} />],
          [words.callAnswer, <Outcome key="outcome" call={call} />],
          [words.callTook, words.milliseconds(formatNumber(milliseconds))],
          [words.callMessage, <CallMessage key="message" call={call} whole />],
        ]}
      />
      <Body title={words.callSent} body={request} />
      <Body title={words.callReceived} body={answer} />
    </Stack>
  );
}

function Body({ title, body }: { title: string; body: string | null }) {
  return (
    <div>
      <Title order={3} size="sm" mb={4}>
        {title}
      </Title>
      {body ? (
        <BodyBlock body={body} />
      ) : (
        <Text size="sm" c="dimmed">
          {words.callNothing}
        </Text>
      )}
    </div>
  );
}
