import { describeWalk } from '../support/walk.js';

describeWalk('even');
