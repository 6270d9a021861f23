import { Button } from '@mantine/core';
import { Icon } from '../../ui/basics/icons.js';
import { ProblemText } from '../../ui/forms/problem-text.js';

interface ListEndProps {
  /** An error about the list as a whole. */
  problem: string | undefined;
  /** Label of the add button. */
  add: string;
  /** Undefined if the list is full. */
  onAdd: (() => void) | undefined;
}

/** The error message and add button below a list of fields. */
export function ListEnd({ problem, add, onAdd }: ListEndProps) {
  return (
    <>
      <ProblemText>{problem}</ProblemText>
      {onAdd && (
        <div>
          <Button variant="default" size="xs" leftSection={<Icon name="plus" size={14} />} onClick={onAdd}>
            {add}
          </Button>
        </div>
      )}
    </>
  );
}
