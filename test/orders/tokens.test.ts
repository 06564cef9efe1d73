import { testPart } from './part.js';

testPart('tokens');
