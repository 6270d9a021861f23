import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { carriersQuery, carrierTypesQuery } from '../../api/installation/carriers.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { useAddDialog } from '../../ui/basics/use-add-dialog.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Page } from '../../ui/layout/page.js';
import { NewCarrierDialog } from './carrier-form.js';
import { CarrierSection } from './carrier-section.js';

const words = text.carriers;

export function CarriersPage() {
  const { data: carriers, error, refetch } = useQuery(carriersQuery);
  const { data: types = [] } = useQuery(carrierTypesQuery);
  const canChange = useCan('owner', 'installation');
  const { add, dialog } = useAddDialog(
    words.add,
    canChange,
    (onClose) => <NewCarrierDialog types={types} onClose={onClose} />,
    types.length > 0,
  );
  return (
    <Page title={words.title} lead={words.lead} actions={add}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!carriers && !error && <LoadingState lines={6} />}
      <Stack>
        {carriers?.map((carrier) => (
          <CarrierSection key={carrier.name} carrier={carrier} type={types.find(({ type }) => type === carrier.type)} />
        ))}
      </Stack>
      {dialog}
    </Page>
  );
}
