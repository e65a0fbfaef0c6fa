/** Takes steps from the running validation's budget; throws OutOfSteps when it is used up. */
export type Spend = (steps: number) => void;

export class OutOfSteps extends Error {}

export type Budget = { spend: Spend; refill(steps: number): void };

export function createBudget(): Budget {
  let left = 0;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) throw new OutOfSteps();
    },
    refill(steps) {
      left = steps;
    },
  };
}
