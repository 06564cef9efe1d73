import { testPart } from './part.js';

testPart('connections');
