import { testPart } from './part.js';

testPart('approvals');
