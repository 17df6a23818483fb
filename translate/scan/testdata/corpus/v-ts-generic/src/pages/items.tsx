import { call } from '../api/delcampe';
import { Link, useNavigate } from 'react-router-dom';

export function ItemList({ items }: { items: { id: string; title: string }[] }) {
  const navigate = useNavigate();
  const remove = async (id: string) => {
    await call('closeItem', { id });
    navigate('/item/auction/closed');
  };
  return (
    <ul>
      {items.map((i) => (
        <li key={i.id}>
          <Link to={`/item/${i.id}`}>{i.title}</Link>
          <button onClick={() => remove(i.id)}>close</button>
        </li>
      ))}
    </ul>
  );
}
