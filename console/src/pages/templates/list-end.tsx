import { Button } from '@mantine/core';
import { Icon } from '../../ui/basics/icons.js';
import { ProblemText } from '../../ui/forms/problem-text.js';

interface ListEndProps {
  problem: string | undefined;
  add: string;
  /** Adds an entry to the list; undefined if the list is full. */
  onAdd: (() => void) | undefined;
}

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
